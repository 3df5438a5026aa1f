"""Bytes and lines of files, pipes, folders and archives."""
