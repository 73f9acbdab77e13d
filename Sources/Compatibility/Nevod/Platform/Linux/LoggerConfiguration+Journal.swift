// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
extension LoggerConfiguration {
    /// Lines on standard error, where systemd's journal takes them from; debug and info are left out, as the unified log
    /// of Apple's systems shows them only to who asks.
    public static func oslog(
        subsystem: String = "com.nevod.network", category: String = "Nevod"
    ) -> LoggerConfiguration {
        let write: LogHandler = { context in
            let line = "\(subsystem) \(category): \(line(context))\n"
            // Where standard error is closed there is nobody to tell.
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
        return LoggerConfiguration(warningHandler: write, errorHandler: write)
    }
}
#endif
