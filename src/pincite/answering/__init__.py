"""From a question and passages to a streamed answer whose claims carry checked citations."""
