"""How graders read an answer: numbers, JSON, sentences, claims. Linear in its length."""
