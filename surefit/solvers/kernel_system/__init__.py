"""(K + α W⁻¹) a = y: a kernel's Gram matrix with a penalty."""
