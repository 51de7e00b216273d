"""What leads out of namespaces: says what this kernel gives."""
import ctypes
import platform
import socket

libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == "x86_64"

families = []
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind).close()
            families.append(family)
            break
        except OSError:
            pass
print("families:", *families)

calls = {
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "getpid": (39, 172),
}
given = []
for name, (on_x64, on_others) in calls.items():
    ctypes.set_errno(0)
    libc.syscall(on_x64 if x64 else on_others, 0, 0, 0, 0, 0)
    if ctypes.get_errno() != 38:  # ENOSYS
        given.append(name)
print("calls:", *given)
