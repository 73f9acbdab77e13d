// SPDX-License-Identifier: Apache-2.0

/// A path under a base URL: fragments between slashes, which are encoded when the URL is created.
///
/// A literal is split at its slashes. An interpolated value, or a variable after `/`, stays one fragment. So an
/// identifier chosen by an attacker cannot lead to another path.
public struct Path: Sendable, Hashable {
    /// The fragments, not encoded; an empty last fragment is a trailing slash.
    public var fragments: [String]

    /// Creates a path from fragments.
    public init(_ fragments: [String] = []) { self.fragments = fragments }

    /// Creates a path from a text, which is split at its slashes; a leading slash is ignored.
    public init(_ string: String) {
        let pieces = string.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { String(Substring($0)) }
        fragments = string.isEmpty ? [] : Array(pieces.first == "" ? pieces.dropFirst() : pieces[...])
    }

    /// The fragments with slashes between them, not encoded.
    public var fullPath: String { fragments.joined(separator: "/") }

    /// Returns this path with one more fragment.
    public func appending(_ fragment: some CustomStringConvertible) -> Path {
        Path(fragments + [fragment.description])
    }

    /// Returns this path with one more fragment.
    public func appending<Fragment: RawRepresentable<String>>(_ fragment: Fragment) -> Path {
        Path(fragments + [fragment.rawValue])
    }

    /// Returns this path followed by another.
    public func appending(_ path: Path) -> Path {
        // A trailing slash does not become an empty fragment.
        Path((fragments.last == "" ? fragments.dropLast() : fragments[...]) + path.fragments)
    }
}

extension Path: ExpressibleByStringInterpolation {
    /// Creates a path from a literal, split at its slashes.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a path from a literal; each interpolated value stays within its fragment.
    public init(stringInterpolation: StringInterpolation) {
        var fragments = stringInterpolation.fragments
        if stringInterpolation.beginsWithSlash { fragments.removeFirst() }
        self.fragments = fragments
    }

    /// A builder of the fragments of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragments = [""]
        fileprivate var beginsWithSlash = false
        private var isEmpty = true

        /// Creates an empty builder.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds literal text.
        public mutating func appendLiteral(_ literal: String) {
            guard !literal.isEmpty else { return }
            let pieces = literal.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            if isEmpty { beginsWithSlash = pieces.count > 1 && pieces[0].isEmpty }
            isEmpty = false
            fragments[fragments.count - 1] += pieces[0]
            fragments += pieces.dropFirst()
        }

        /// Adds a value to the current fragment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            isEmpty = false
            fragments[fragments.count - 1] += value.description
        }
    }
}

/// Joins two paths: `"api" / "v1/users"`.
public func / (left: Path, right: Path) -> Path { left.appending(right) }

/// Adds a fragment to a path: `users / id`.
@_disfavoredOverload
public func / (left: Path, right: some CustomStringConvertible) -> Path { left.appending(right) }

/// Adds a case of an enumeration to a path: `users / Action.edit`.
public func / <Fragment: RawRepresentable<String>>(left: Path, right: Fragment) -> Path { left.appending(right) }

/// Adds several fragments to a path.
public func / (left: Path, right: [any CustomStringConvertible]) -> Path {
    Path(left.fragments + right.map(\.description))
}

/// Adds a fragment to a text that is a path.
@_disfavoredOverload
public func / (left: String, right: some CustomStringConvertible) -> Path { Path(left).appending(right) }

/// Adds a case of an enumeration to a text that is a path.
public func / <Fragment: RawRepresentable<String>>(left: String, right: Fragment) -> Path {
    Path(left).appending(right)
}

/// Joins two cases of enumerations.
public func / <First: RawRepresentable<String>, Second: RawRepresentable<String>>(
    left: First, right: Second
) -> Path {
    Path([left.rawValue, right.rawValue])
}

/// Joins a case of an enumeration and another fragment.
@_disfavoredOverload
public func / <Fragment: RawRepresentable<String>>(left: Fragment, right: some CustomStringConvertible) -> Path {
    Path([left.rawValue, right.description])
}
