// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

extension Environment {
    /// Requires UTF-8 of the variables that name folders and settings: Foundation replaces other bytes, and another folder would be used.
    func requireReadableVariables() throws(CommandError) {
        for name in variables.keys.sorted()
        where name == "HOME" || name.hasPrefix("LATCH_") || name.hasPrefix("XDG_") {
            guard let text = getenv(name), String(validatingCString: text) == nil else { continue }
            throw .failed(
                "The variable \(name) is not UTF-8.", hint: "Rename the folder, or set a locale with UTF-8.")
        }
    }
}
