// SPDX-License-Identifier: Apache-2.0

/// A stage in the compilation of one file, which reports to the diagnostics of its pool.
protocol FileStage {
    var file: FileDescriptor { get }
    var pool: DescriptorPool { get }
}

extension FileStage {
    func fail(
        _ message: String, at position: SourcePosition?, hint: String? = nil, as severity: Diagnostic.Severity = .error
    ) {
        pool.diagnostics.add(message, at: position, in: file.source, hint: hint, as: severity)
    }

    func warn(_ message: String, at position: SourcePosition?, hint: String? = nil) {
        fail(message, at: position, hint: hint, as: .warning)
    }
}
