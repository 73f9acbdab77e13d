// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchProtoCompiler

/// Compiles bytes as a .proto file: what is accepted has a descriptor that is the same each time, and what is refused is
/// told with a place inside of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProto(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = bytes(data, count)
    let compiler = Compiler(recordsLocations: true) { $0 == "x.proto" ? bytes : nil }
    let compilation = compiler.compile(["x.proto"])
    hold(compilation.isComplete == !compilation.filesToGenerate.isEmpty, "a file without errors has a descriptor")
    let lines = bytes.count { $0 == UInt8(ascii: "\n") }
    for diagnostic in compilation.diagnostics where diagnostic.file == "x.proto" {
        hold(!diagnostic.description.isEmpty, "a diagnostic can be shown")
        hold(Int(diagnostic.position?.line ?? 0) <= lines, "a diagnostic is about a line that is there")
    }
    for file in compilation.filesToGenerate {
        let again = compiler.compile(["x.proto"]).filesToGenerate.first
        hold(again?.serialized(sourceInfo: true) == file.serialized(sourceInfo: true), "two descriptors are the same")
    }
    return 0
}
