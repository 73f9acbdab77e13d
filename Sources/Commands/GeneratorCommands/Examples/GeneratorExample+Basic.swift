// SPDX-License-Identifier: Apache-2.0

import LatchGenerator

extension GeneratorExample {
    /// The least that makes a client.
    static let basic = GeneratorExample(
        name: "basic", summary: "one service with two methods, and nothing said that can be concluded",
        category: "basic",
        files: [
            GeneratedFile(
                path: "notes/v1/note_service.proto",
                text: """
                    syntax = "proto3";

                    package notes.v1;

                    // Keeps notes.
                    service NoteService {
                      // Adds a note; by its name the client appends the answer to its state.
                      rpc CreateNote(CreateNoteRequest) returns (Note);

                      // All notes; by its name the client replaces what its state has.
                      rpc GetNotes(GetNotesRequest) returns (GetNotesResponse);
                    }

                    // Something to remember.
                    message Note {
                      string id = 1;
                      string text = 2;
                    }

                    message CreateNoteRequest {
                      string text = 1;
                    }

                    message GetNotesRequest {}

                    message GetNotesResponse {
                      repeated Note notes = 1;
                    }

                    """)
        ])

    /// All constructs of the language that generated code has an answer to.
    static let comprehensive = GeneratorExample(
        name: "comprehensive", summary: "streams, oneofs, maps, presence, nested types and retired numbers",
        category: "advanced",
        files: [
            GeneratedFile(
                path: "shapes/v1/shape_service.proto",
                text: """
                    syntax = "proto3";

                    package shapes.v1;

                    import "google/protobuf/duration.proto";
                    import "google/protobuf/empty.proto";
                    import "google/protobuf/timestamp.proto";

                    // Every kind of call.
                    service ShapeService {
                      // One request, one answer; safe to be sent again.
                      rpc GetShape(GetShapeRequest) returns (Shape) {
                        option idempotency_level = NO_SIDE_EFFECTS;
                      }

                      // One request, many answers.
                      rpc WatchShapes(GetShapeRequest) returns (stream Shape);

                      // Many requests, one answer.
                      rpc UploadShapes(stream Shape) returns (google.protobuf.Empty);

                      // Both at once.
                      rpc Exchange(stream Shape) returns (stream Shape);
                    }

                    message GetShapeRequest {
                      string shape_id = 1;
                    }

                    // Something with an outline.
                    message Shape {
                      // How it is filled.
                      enum Fill {
                        FILL_UNSPECIFIED = 0;
                        FILL_PLAIN = 1;
                        FILL_HATCHED = 2;
                      }

                      message Point {
                        double x = 1;
                        double y = 2;
                      }

                      string id = 1;
                      Fill fill = 2;
                      // Whether a name was given is known, be it empty.
                      optional string name = 3;
                      oneof outline {
                        double radius = 4;
                        Polygon polygon = 5;
                      }
                      map<string, string> labels = 6;
                      repeated int32 layers = 7;
                      bytes thumbnail = 8;
                      google.protobuf.Timestamp created_at = 9;
                      google.protobuf.Duration lifetime = 10;

                      // Numbers and names that were used once are never used again.
                      reserved 11 to 13;
                      reserved "colour";
                    }

                    message Polygon {
                      repeated Shape.Point corners = 1;
                    }

                    """)
        ])
}
