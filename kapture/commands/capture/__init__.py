"""Images of a page. Frames outside the grant are covered in all of them."""
