"""SVM, FSVM, TSVM and FR-TSVM with its variants, behind one interface: tune, then build."""
