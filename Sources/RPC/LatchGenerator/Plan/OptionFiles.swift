// SPDX-License-Identifier: Apache-2.0

public import LatchProto

/// The .proto files that declare the options of generated clients; protoc takes them as well.
///
/// - `axiom_options.proto` is what a service imports; it declares nothing and imports the two others publicly.
/// - `axiom/options/v1/options.proto`: `(axiom.options.v1.axiom_service)` and its like, whose values of enums are long.
/// - `axiom/options.proto`: `(axiom.service_options)` and its like, whose values of enums are short, and
///   `(axiom.swift_client_actor)` and its like, which are single words.
public enum OptionFiles {
    /// The names by which they are imported, each behind those that it imports.
    public static let names = ["axiom/options/v1/options.proto", "axiom/options.proto", "axiom_options.proto"]

    /// What a file says; nil for a name that is none of theirs.
    public static func text(of name: String) -> String? {
        switch name {
        case "axiom_options.proto": all
        case "axiom/options/v1/options.proto": long
        case "axiom/options.proto": short
        default: nil
        }
    }

    /// The bytes of a file; nil for a name that is none of theirs.
    public static func bytes(of name: String) -> [UInt8]? { text(of: name).map { Array($0.utf8) } }

    private static let all = """
        // What the clients of a service are made of: import this file, and set the options of the other two.

        syntax = "proto3";

        import public "axiom/options.proto";
        import public "axiom/options/v1/options.proto";

        """
}

extension Compiler {
    /// A compiler that finds the files of options where `read` does not give them.
    ///
    /// - Parameter recordsLocations: Whether descriptors say where everything stands.
    public static func withOptionFiles(recordsLocations: Bool = false, reading read: @escaping Read) -> Compiler {
        Compiler(recordsLocations: recordsLocations) { name in read(name) ?? OptionFiles.bytes(of: name) }
    }
}
