// SPDX-License-Identifier: Apache-2.0

extension SecretStore {
    /// Keeps a copy of a damaged secret under a name beside its own.
    ///
    /// The same bytes are kept once, so that an interruption between this and what follows leaves one copy.
    ///
    /// - Returns: The new name: `name.corrupt`, or the first free one after it.
    func setAside(_ secret: [UInt8], of name: String) async throws -> String {
        for number in 1...1_000 {
            let aside = "\(name)\(SetAsideName.suffix)" + (number == 1 ? "" : "-\(number)")
            guard let taken = try await read(aside) else {
                try await write(secret, for: aside)
                return aside
            }
            if taken == secret { return aside }
        }
        throw AuthError.store(.storeFull, "too many damaged secrets beside '\(name)'")
    }
}

/// The names of damaged secrets that were set aside, which are no accounts.
package enum SetAsideName {
    static let suffix = ".corrupt"

    /// Whether a secret of this name was set aside by ``SecretStore/setAside(_:of:)``.
    package static func matches(_ name: String) -> Bool {
        guard let range = name.ranges(of: suffix).last else { return false }
        let rest = name[range.upperBound...]
        return rest.isEmpty || rest.first == "-" && Int(rest.dropFirst()) != nil
    }
}
