// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// Returns the folder of the coordination files, and of secrets in files, without a trailing slash.
package func secretsFolder(in environment: [String: String]) -> String {
    absolutePath("LATCH_HOME", in: environment) ?? "\(supportFolder.path)/latchwork"
}
#endif
