// SPDX-License-Identifier: Apache-2.0

extension Compiler {
    /// Links files that another compiler has read: each a `FileDescriptorProto`, behind those that it imports.
    ///
    /// Places and comments are those of the files' `SourceCodeInfo`. What is wrong is told as it is of texts.
    package static func link(_ files: [[UInt8]], requested: [String]) -> Compilation {
        let pool = FilePool(recordsLocations: false, trustsFiles: true) { _ in nil }
        pool.link(files)
        let found = requested.compactMap { pool.file(named: $0) }
        for name in requested where pool.file(named: name) == nil && pool.diagnostics.errorCount == 0 {
            pool.diagnostics.add("there is no such file", at: nil, in: SourceText(name: name, bytes: []))
        }
        return Compilation(requested: found, files: pool.withImports(found), diagnostics: pool.diagnostics.list)
    }
}

extension FilePool {
    /// Reads and links files in their order.
    ///
    /// Options come last of all files: what they mean may be declared in a file behind the one that has them.
    fileprivate func link(_ serialized: [[UInt8]]) {
        var linkers: [(linker: Linker, options: [[Int32]: WireMessage])] = []
        for bytes in serialized {
            do throws(MalformedWire) {
                let (file, options) = try DescriptorReader.read(try WireMessage(bytes))
                guard self.file(named: file.name) == nil else { continue }
                let linker = Linker(file, in: self)
                linker.declare()
                add(file)
                linkers.append((linker, options))
            } catch {
                let source = SourceText(name: "descriptor", bytes: [])
                diagnostics.add("the descriptor is malformed at byte \(error.offset)", at: nil, in: source)
            }
        }
        guard diagnostics.errorCount == 0 else { return }
        if linkers.contains(where: { !$0.options.isEmpty }) { loadOptions() }
        for (linker, options) in linkers { linker.finish(options) }
    }
}

extension Linker {
    /// Names, and what they refer to.
    fileprivate func declare() {
        if file.syntax == .editions, file.edition == .legacy {
            return fail("the edition is not known", at: file.syntaxPlace, hint: "2023, 2024 and 2026 are.")
        }
        guard definePackage() else { return }
        checkImports()
        define()
        resolve()
    }

    /// Options, and what can be checked only with them.
    fileprivate func finish(_ options: [[Int32]: WireMessage]) {
        do throws(MalformedWire) {
            try OptionDecoder(pool.symbols).decode(options, of: file)
        } catch {
            return fail("the options are malformed at byte \(error.offset)", at: nil)
        }
        resolveFeatures()
        checkAll()
    }
}
