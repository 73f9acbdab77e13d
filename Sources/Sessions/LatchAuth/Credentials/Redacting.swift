// SPDX-License-Identifier: Apache-2.0

/// A value that holds a secret and shows none: not in a description, not in a mirror, not in a dump.
///
/// A type says in `description` what may be seen of it; the rest follows from that.
public protocol Redacting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacting {
    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` and reflection show nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
