"""Relations between answers: changes of a question whose effect is known without a second opinion."""
