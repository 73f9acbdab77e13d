// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// What Apple's Dispatch has beside the open one: sources of file system events.
// Source: https://developer.apple.com/documentation/dispatch/dispatchsource.
@_exported public import Dispatch

private func stub() -> Never { fatalError() }

public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
}
extension DispatchSource {
    public class func makeFileSystemObjectSource(fileDescriptor: Int32, eventMask: DispatchSource.FileSystemEvent, queue: DispatchQueue? = nil) -> any DispatchSourceFileSystemObject { stub() }
}
