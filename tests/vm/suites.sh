# Sourced by the guest: which suites run in it. Left out is what needs python3 and what only moves
# bytes, which an emulated processor is slow at; both run on the build machine. So do those of tools:
# the guest's programs are one file, busybox.
needs_python='*AreInForceInside*:*UnixSocketOfTheHost*:*AdmissionWouldHaveRefused*:*MeetsNobody*:*OfAThousandMessages*:*KnowsProgramsThat*:*LetsHonestWork*:*OfAnOpenFileAreTheKernels*:*ThereIsNoIpv6*'
# What the guest's disk of 256 MiB is too small or too slow for, and a tmpfs that cannot map owners.
needs_disk='*NoticesWhoGrew*:*CountsFoldersAndEmptyFiles*:*EndsWhoHoldsForSeconds*'
# What the kernel counts otherwise than with cgroup v1, or than the build machine's does.
counts='*BuffersOfItsOwnConnections*:*OnlyShown*:*Accounts.AreThose*:*Accounts.AreTaken*:*Sockets.*:*RangeLocks.*'
run_suite sandbox_vm_test '*'
run_suite sandbox_adversarial_test "*Limits.*:*Lifetime.*:*Escape.*:*Stall.*:*Disk.*:$counts-$needs_python:$needs_disk:*OfAFlood*"
