"""Generated PDFs with a sentence that crosses a page, whose words and boxes are known by construction."""
