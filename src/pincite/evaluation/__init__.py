"""Figures on data sets: how well passages are found, and how well the lack of an answer is noticed."""
