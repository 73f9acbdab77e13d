// SPDX-License-Identifier: Apache-2.0

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
