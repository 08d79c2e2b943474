"""Format numbers of artifacts."""

#: Increase it whenever a reader of the old format would misread the new one.
#: 2: predictors may have a `calibration`, evidence a `search`.
FORMAT = 2
#: Formats that can be read. Artifacts of earlier formats are not rewritten.
KNOWN_FORMATS = (1, 2)
