"""The experiments of gao-wu-lee-chua-2003."""
