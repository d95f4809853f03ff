"""Items: what each task, case and rung of a ladder tells about the models that answered it."""
