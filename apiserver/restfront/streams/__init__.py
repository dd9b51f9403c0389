"""What goes on inside pods, over HTTP: logs, exec, attach, port-forward and proxies. All of it ends at a node agent."""
