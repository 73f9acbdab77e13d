// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import PortableFoundation

/// The path of the program that runs (proc(5)); it stays right when the file is moved or replaced.
package let currentProgram = "/proc/self/exe"

/// The same as another process may open it.
package let currentProgramFile = "/proc/\(ProcessInfo.processInfo.processIdentifier)/exe"
#endif
