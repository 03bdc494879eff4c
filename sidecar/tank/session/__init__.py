"""What one session is: status, label, guard, messages. Pure; the sidecar asks it."""
