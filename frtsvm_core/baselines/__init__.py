"""Baselines of the FR-TSVM paper: a twin SVM (`tsvm`) and a fuzzy SVM (`fsvm`).

Import the classes from `frtsvm_core`: `TSVMClassifier` and `FSVMClassifier`.
"""
