"""SVM, FSVM, TSVM, FR-TSVM and its variants, with one interface for tuning and fitting."""
