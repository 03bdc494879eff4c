"""Tank with no account: a scripted model on loopback, real Pi sessions on a private stage, and the demo itself."""
