// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore

/// A check of the program's own property list.
public enum HostAppValidation {
    /// Checks that the program has registered a URL scheme.
    ///
    /// The system gives the deep link of a sign-in to the program that began it, registered or not; a link in a mail needs the
    /// registration.
    ///
    /// - Parameters:
    ///   - expectedScheme: The scheme, compared without regard to case.
    ///   - info: The property list; that of the program by default.
    /// - Throws: `APIError.invalidURL` if it has not.
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
