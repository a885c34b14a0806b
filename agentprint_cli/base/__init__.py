"""What any program needs: errors, JSON text, paths, safe text, files, configuration. No domain."""
