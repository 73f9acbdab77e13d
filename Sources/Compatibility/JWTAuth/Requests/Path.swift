// SPDX-License-Identifier: Apache-2.0

/// A path under a base URL, as fragments between slashes that are encoded when the URL is made.
///
/// A literal is split at its slashes. What is interpolated into it, and what a variable adds with `/`, stays one fragment
/// whatever it holds: an identifier that a stranger chose leads nowhere else.
public struct Path: Sendable, Hashable {
    /// The fragments, not encoded; an empty one at the end is a slash at the end.
    public var fragments: [String]

    /// A path of fragments.
    public init(_ fragments: [String] = []) { self.fragments = fragments }

    /// A path that is split at its slashes; one at the beginning means nothing.
    public init(_ string: String) {
        let pieces = string.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { String(Substring($0)) }
        fragments = string.isEmpty ? [] : Array(pieces.first == "" ? pieces.dropFirst() : pieces[...])
    }

    /// The fragments with slashes between them, not encoded.
    public var fullPath: String { fragments.joined(separator: "/") }

    /// This path and one more fragment.
    public func appending(_ fragment: some CustomStringConvertible) -> Path {
        Path(fragments + [fragment.description])
    }

    /// This path and one more fragment.
    public func appending<Fragment: RawRepresentable<String>>(_ fragment: Fragment) -> Path {
        Path(fragments + [fragment.rawValue])
    }

    /// This path and another one behind it.
    public func appending(_ path: Path) -> Path {
        // What ends with a slash and goes on has only the one.
        Path((fragments.last == "" ? fragments.dropLast() : fragments[...]) + path.fragments)
    }
}

extension Path: ExpressibleByStringInterpolation {
    /// A path of a literal, split at its slashes.
    public init(stringLiteral value: String) { self.init(value) }

    /// A path of a literal whose values each stay within their fragment.
    public init(stringInterpolation: StringInterpolation) {
        var fragments = stringInterpolation.fragments
        if stringInterpolation.beginsWithSlash { fragments.removeFirst() }
        self.fragments = fragments
    }

    /// Collects the pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragments = [""]
        fileprivate var beginsWithSlash = false
        private var isEmpty = true

        /// Creates an empty builder.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds what the program spells itself.
        public mutating func appendLiteral(_ literal: String) {
            guard !literal.isEmpty else { return }
            let pieces = literal.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            if isEmpty { beginsWithSlash = pieces.count > 1 && pieces[0].isEmpty }
            isEmpty = false
            fragments[fragments.count - 1] += pieces[0]
            fragments += pieces.dropFirst()
        }

        /// Adds a value to the fragment that it stands in.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            isEmpty = false
            fragments[fragments.count - 1] += value.description
        }
    }
}

/// Two paths, one behind the other: `"api" / "v1/users"`.
public func / (left: Path, right: Path) -> Path { left.appending(right) }

/// A path and one more fragment: `users / id`.
@_disfavoredOverload
public func / (left: Path, right: some CustomStringConvertible) -> Path { left.appending(right) }

/// A path and one more fragment of an enumeration: `users / Action.edit`.
public func / <Fragment: RawRepresentable<String>>(left: Path, right: Fragment) -> Path { left.appending(right) }

/// A path and several more fragments.
public func / (left: Path, right: [any CustomStringConvertible]) -> Path {
    Path(left.fragments + right.map(\.description))
}

/// A text as a path, and one more fragment.
@_disfavoredOverload
public func / (left: String, right: some CustomStringConvertible) -> Path { Path(left).appending(right) }

/// A text as a path, and one more fragment of an enumeration.
public func / <Fragment: RawRepresentable<String>>(left: String, right: Fragment) -> Path {
    Path(left).appending(right)
}

/// Two fragments of enumerations.
public func / <First: RawRepresentable<String>, Second: RawRepresentable<String>>(
    left: First, right: Second
) -> Path {
    Path([left.rawValue, right.rawValue])
}

/// A fragment of an enumeration and another one.
@_disfavoredOverload
public func / <Fragment: RawRepresentable<String>>(left: Fragment, right: some CustomStringConvertible) -> Path {
    Path([left.rawValue, right.description])
}
