"""Model files of BBR, BMR and BXR (genkin-lewis-madigan-2004 and its successors)."""
