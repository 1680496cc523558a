"""The tabs of a hub: by id, their queues, and what runs on them."""
