// SPDX-License-Identifier: Apache-2.0

// For those above the compiler who find that a declaration makes no sense to them.

extension FileDescriptor {
    /// A diagnostic about a place of the file, with the line that it is about.
    package func diagnostic(
        _ message: String, at place: Place?, hint: String? = nil, as severity: Diagnostic.Severity = .error
    ) -> Diagnostic {
        var diagnostic = Diagnostic(severity, file: name, place: place, message: message, hint: hint)
        if let place { diagnostic.show(source.line(Int(place.line)), at: place) }
        return diagnostic
    }
}

extension MethodDescriptor {
    /// Where its name stands.
    package var namePlace: Place? { place }
}

extension FieldDescriptor {
    /// Where its name stands.
    package var namePlace: Place? { places.name }
}

extension MessageDescriptor {
    /// Where its name stands.
    package var namePlace: Place { place }
}

extension OneofDescriptor {
    /// Where its name stands.
    package var namePlace: Place { place }
}
