// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Glibc

/// The request for the size of a terminal's window (ioctl_tty(2)).
let windowSizeRequest = UInt(TIOCGWINSZ)
#endif
