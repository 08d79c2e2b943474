"""The format of artifacts."""

#: Raised whenever a reader of the old format would misread the new one.
FORMAT = 1
