"""Pictures of iterations, trees and what they look at."""
