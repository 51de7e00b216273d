/* Has the first process of this namespace forget its parent and leave its group, as a debugger could. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

static struct user_regs_struct saved;

static long call(long number, long first) {
  struct user_regs_struct now = saved;
  now.rip = saved.rip - 2; /* the instruction `syscall` */
  now.rax = number;
  now.orig_rax = -1;
  now.rdi = first;
  now.rsi = 0;
  ptrace(PTRACE_SETREGS, 1, 0, &now);
  ptrace(PTRACE_SINGLESTEP, 1, 0, 0);
  waitpid(1, NULL, 0);
  ptrace(PTRACE_GETREGS, 1, 0, &now);
  return now.rax;
}

int main(void) {
  if (ptrace(PTRACE_ATTACH, 1, 0, 0)) return printf("refused: %s\n", strerror(errno)), 0;
  waitpid(1, NULL, 0);
  ptrace(PTRACE_GETREGS, 1, 0, &saved);
  long forgot = call(SYS_prctl, PR_SET_PDEATHSIG), left = call(SYS_setsid, 0);
  saved.rip -= 2;
  saved.rax = saved.orig_rax;
  saved.orig_rax = -1;
  ptrace(PTRACE_SETREGS, 1, 0, &saved);
  ptrace(PTRACE_DETACH, 1, 0, 0);
  return printf("freed: %ld %ld\n", forgot, left), 0;
}
