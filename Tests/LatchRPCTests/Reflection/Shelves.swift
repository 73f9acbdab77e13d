// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler
import Testing

/// Files with everything of which reflection tells: imports of imports, extensions, nested names, two services.
enum Shelves {
    static let sources = [
        "shelf/book.proto": """
        syntax = "proto3";
        package shelf.v1;
        import "google/protobuf/timestamp.proto";
        message Book {
          enum Kind { UNKNOWN = 0; NOVEL = 1; }
          string title = 1;
          Kind kind = 2;
          oneof origin { string shop = 3; string giver = 4; }
          google.protobuf.Timestamp bought = 5;
        }
        """,
        "shelf/shelf.proto": """
        syntax = "proto2";
        package shelf.v1;
        import "shelf/book.proto";
        message Shelf {
          repeated Book books = 1;
          optional Shelf below = 2;
          extensions 100 to 199;
        }
        """,
        "shelf/extras.proto": """
        syntax = "proto2";
        package shelf.v1;
        import "shelf/shelf.proto";
        extend Shelf { optional string label = 100; }
        message Extras { extend Shelf { optional int32 depth = 101; } }
        """,
        "shelf/shelves.proto": """
        syntax = "proto3";
        package shelf.v1;
        import "shelf/shelf.proto";
        import "shelf/extras.proto";
        import "shelf/book.proto";
        // Where books are.
        service Shelves {
          rpc Find(Book) returns (Shelf);
          rpc Watch(Book) returns (stream Shelf);
        }
        service Borrowing { rpc Borrow(Book) returns (Book); }
        """,
    ]

    static let names = ["google/protobuf/timestamp.proto"] + sources.keys.sorted()

    /// A `FileDescriptorSet` of all of them, as `latch descriptors --include-imports` writes it.
    static func descriptors() throws -> [UInt8] {
        let compilation = Compiler { sources[$0].map { Array($0.utf8) } }.compile(["shelf/shelves.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        return FileDescriptor.serializedSet(compilation.files)
    }
}

/// The files of a serialized `FileDescriptorSet`, as they are.
struct FileDescriptorSetBytes {
    let files: [(name: String, bytes: [UInt8])]

    init(_ bytes: [UInt8]) throws {
        files = try WireMessage(bytes).serialized(1).map { (try Self.name(of: $0), $0) }
    }

    static func name(of file: [UInt8]) throws -> String {
        String(decoding: try #require(WireMessage(file).serialized(1).first), as: UTF8.self)
    }
}
