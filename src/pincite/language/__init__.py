"""Text rules that need a library: sentences, words, stems, stop words, languages. Knows the core alone."""
