// SPDX-License-Identifier: Apache-2.0

/// An error that may say how long a server wants to be left alone, such as by `Retry-After` (RFC 9110 §10.2.3).
///
/// A session whose renewal fails with one waits at least as long before it asks again, within bounds.
public protocol PatienceError: Error {
    /// How long from now on; nil where the server did not say.
    var retryAfter: Duration? { get }
}
