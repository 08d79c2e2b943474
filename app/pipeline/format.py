"""The format of artifacts."""

#: Raised whenever a reader of the old format would misread the new one.
#: 2: predictors may have a `calibration`, evidence a `search`.
FORMAT = 2
#: What is read. Versions of earlier formats stay as they were written.
KNOWN_FORMATS = (1, 2)
