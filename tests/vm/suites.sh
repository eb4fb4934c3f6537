# Sourced by the guest: which suites run in it. Left out is what needs python3 and what only moves
# bytes, which an emulated processor is slow at; both run on the build machine.
needs_python='*AreInForceInside*:*UnixSocketOfTheHost*:*AdmissionWouldHaveRefused*:*MeetsNobody*'
# What the kernel counts otherwise than with cgroup v1, or than the build machine's does.
counts='*BuffersOfItsOwnConnections*:*OnlyShown*:*Accounts.AreThose*:*Accounts.AreTaken*'
run_suite sandbox_vm_test '*'
run_suite sandbox_adversarial_test "*Limits.*:*Lifetime.*:*Escape.*:*Disk.EndsWhoTakesTooMuch*:*Disk.IsOfNoOtherProject*:$counts-$needs_python:*OfAFlood*"
