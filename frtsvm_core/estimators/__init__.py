"""The FR-TSVM classifier, and the base class that it shares with the TSVM baseline.

Import the class from `frtsvm_core`: `FRTSVMClassifier`.
"""
