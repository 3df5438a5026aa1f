"""The experiments of zhang-2000."""
