// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP

/// Returns the coordination of the user's processes over one account, with files in the folder of the secrets.
package func platformCoordination(service: String, account: String) -> FileCoordination {
    let folder = secretsFolder(in: ProcessInfo.processInfo.environment)
    return FileCoordination(path: "\(folder)/\(fileName(for: service)).\(fileName(for: account))")
}

/// Returns the path in an environment variable, if it is absolute.
///
/// A relative path is ignored: it would mean a different store, and lost sessions, for each working directory.
func absolutePath(_ variable: String, in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.utf8.first == 0x2F ? $0 : nil }
}

/// Returns the name under which a user's keyring or keychain keeps the items of a service.
///
/// The name contains the folder, which separates the items of different `LATCH_HOME` values.
func keyringService(for service: String, in environment: [String: String]) -> String {
    absolutePath("LATCH_HOME", in: environment) == nil ? service : "\(service) (\(secretsFolder(in: environment)))"
}

/// Returns a service or an account as a file name.
///
/// A byte other than a letter, digit, dot, hyphen or underscore becomes `%` and two digits, and so does a leading dot.
func fileName(for service: String) -> String {
    let name = PercentEncoding.encode(service.utf8).unicodeScalars
        .split(separator: "~", omittingEmptySubsequences: false).map { String($0) }.joined(separator: "%7E")
    return name.utf8.first == 0x2E ? "%2E" + String(Substring(name.utf8.dropFirst())) : name
}
