// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// The path of the program that runs.
package let currentProgram = Bundle.main.executablePath ?? CommandLine.arguments[0]

/// The same as another process may open it.
package let currentProgramFile = currentProgram
#endif
