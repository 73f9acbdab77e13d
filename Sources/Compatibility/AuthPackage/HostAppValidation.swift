// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore

/// A check of the program's property list.
public enum HostAppValidation {
    /// Checks that the program has registered a URL scheme.
    ///
    /// The link of an email needs the registration. A sign-in does not: the system gives its deep link to the program
    /// that started it.
    ///
    /// - Parameters:
    ///   - expectedScheme: The scheme, compared without regard to case.
    ///   - info: The property list, by default the program's.
    /// - Throws: `APIError.invalidURL` if the program has not registered the scheme.
    public static func assertURLSchemePresent(
        expectedScheme: String, in info: [String: Any] = Bundle.main.infoDictionary ?? [:]
    ) throws {
        let types = info["CFBundleURLTypes"] as? [[String: Any]] ?? []
        let schemes = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }
        guard !expectedScheme.isEmpty,
            schemes.contains(where: { $0.lowercasedASCII() == expectedScheme.lowercasedASCII() })
        else { throw APIError.invalidURL }
    }
}
