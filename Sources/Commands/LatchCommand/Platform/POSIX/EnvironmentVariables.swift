// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// Requires that the variables for folders and settings are UTF-8: Foundation would replace other bytes and use
    /// another folder.
    func requireReadableVariables() throws(CommandError) {
        for name in variables.keys.sorted()
        where name == "HOME" || name.hasPrefix("LATCH_") || name.hasPrefix("XDG_") {
            guard let text = getenv(name), String(validatingCString: text) == nil else { continue }
            throw .failed(
                "The variable \(name) is not UTF-8.", hint: "Rename the folder, or set a locale with UTF-8.")
        }
    }
}
