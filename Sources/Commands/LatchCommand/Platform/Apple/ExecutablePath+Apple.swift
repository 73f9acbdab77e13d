// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// The path of the running executable.
package let executablePath = Bundle.main.executablePath ?? CommandLine.arguments[0]
#endif
